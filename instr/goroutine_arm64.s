#include "textflag.h"

// The functions here obey the register convention of Go functions: arguments and results in
// R0 and R1, the goroutine's descriptor in g. They are only called through func values with
// their addresses, so that no wrapper stands between them and their callers.

// goroutineRaw is func(offset uintptr) (gp, goid uint64).
TEXT goroutineRaw<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVD $0, R1
	CBZ  R0, done
	MOVD (g)(R0), R1
done:
	MOVD g, R0
	RET

// callerPCRaw is func() uintptr: R29 is the caller's frame, and the word above it the return
// address into the caller's caller.
TEXT callerPCRaw<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVD 8(R29), R0
	RET

// peekRaw is func(address uintptr) uint64: an acquiring load that neither checkptr nor the
// race detector looks at.
TEXT peekRaw<>(SB), NOSPLIT|NOFRAME, $0-0
	LDAR (R0), R0
	RET

// rootRaw is func() (last, before uintptr). It follows the frame pointers while they stay
// within the goroutine's stack, whose bounds are the first words of the descriptor, and grow:
// across a call from C they do not.
TEXT rootRaw<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVD $0, R0
	MOVD $0, R1
	MOVD R29, R2
	MOVD $512, R3
	MOVD 0(g), R4
	MOVD 8(g), R5
loop:
	CMP  R4, R2
	BLS  done
	ADD  $16, R2, R6
	CMP  R5, R6
	BHI  done
	MOVD 8(R2), R6
	MOVD 0(R2), R7
	CBZ  R7, done
	MOVD R0, R1
	MOVD R6, R0
	CMP  R2, R7
	BLS  done
	MOVD R7, R2
	SUB  $1, R3
	CBNZ R3, loop
done:
	RET

// callersRaw is func(to *uintptr, n int) int: it stores return addresses, the caller's own first, as rootRaw finds them, and returns how many.
TEXT callersRaw<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVD R0, R8
	MOVD $0, R0
	MOVD R29, R2
	MOVD 0(g), R4
	MOVD 8(g), R5
next:
	CMP  R1, R0
	BGE  done
	CMP  R4, R2
	BLS  done
	ADD  $16, R2, R6
	CMP  R5, R6
	BHI  done
	MOVD 8(R2), R6
	MOVD 0(R2), R7
	CBZ  R7, done
	MOVD R6, (R8)(R0<<3)
	ADD  $1, R0
	CMP  R2, R7
	BLS  done
	MOVD R7, R2
	B    next
done:
	RET

// func goroutineAddress() uintptr
TEXT ·goroutineAddress(SB), NOSPLIT, $0-8
	MOVD $goroutineRaw<>(SB), R0
	MOVD R0, ret+0(FP)
	RET

// func callerPCAddress() uintptr
TEXT ·callerPCAddress(SB), NOSPLIT, $0-8
	MOVD $callerPCRaw<>(SB), R0
	MOVD R0, ret+0(FP)
	RET

// func peekAddress() uintptr
TEXT ·peekAddress(SB), NOSPLIT, $0-8
	MOVD $peekRaw<>(SB), R0
	MOVD R0, ret+0(FP)
	RET

// func rootAddress() uintptr
TEXT ·rootAddress(SB), NOSPLIT, $0-8
	MOVD $rootRaw<>(SB), R0
	MOVD R0, ret+0(FP)
	RET

// func callersAddress() uintptr
TEXT ·callersAddress(SB), NOSPLIT, $0-8
	MOVD $callersRaw<>(SB), R0
	MOVD R0, ret+0(FP)
	RET
