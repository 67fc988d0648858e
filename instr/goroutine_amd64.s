#include "textflag.h"

// The functions here obey the register convention of Go functions: arguments and results in
// AX and BX, the goroutine's descriptor in R14. They are only called through func values with
// their addresses, so that no wrapper stands between them and their callers.

// goroutineRaw is func(offset uintptr) (gp, goid uint64).
TEXT goroutineRaw<>(SB), NOSPLIT|NOFRAME, $0-0
	XORL BX, BX
	TESTQ AX, AX
	JZ   done
	MOVQ (R14)(AX*1), BX
done:
	MOVQ R14, AX
	RET

// callerPCRaw is func() uintptr: BP is the caller's frame, and the word above it the return
// address into the caller's caller.
TEXT callerPCRaw<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ 8(BP), AX
	RET

// peekRaw is func(address uintptr) uint64: a load that neither checkptr nor the race detector
// looks at.
TEXT peekRaw<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ (AX), AX
	RET

// rootRaw is func() (last, before uintptr). It follows the frame pointers while they stay
// within the goroutine's stack, whose bounds are the first words of the descriptor, and grow:
// across a call from C they do not.
TEXT rootRaw<>(SB), NOSPLIT|NOFRAME, $0-0
	XORL AX, AX
	XORL BX, BX
	MOVQ BP, CX
	MOVQ $512, DI
loop:
	CMPQ CX, 0(R14)
	JLS  done
	LEAQ 16(CX), DX
	CMPQ DX, 8(R14)
	JHI  done
	MOVQ 8(CX), DX
	MOVQ 0(CX), SI
	TESTQ SI, SI
	JZ   done        // DX is in goexit
	MOVQ AX, BX
	MOVQ DX, AX
	CMPQ SI, CX
	JLS  done
	MOVQ SI, CX
	DECQ DI
	JNZ  loop
done:
	RET

// callersRaw is func(to *uintptr, n int) int: it stores return addresses, the caller's own first, as rootRaw finds them, and returns how many.
TEXT callersRaw<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ AX, DI
	XORL AX, AX
	MOVQ BP, CX
next:
	CMPQ AX, BX
	JGE  done
	CMPQ CX, 0(R14)
	JLS  done
	LEAQ 16(CX), DX
	CMPQ DX, 8(R14)
	JHI  done
	MOVQ 8(CX), DX
	MOVQ 0(CX), SI
	TESTQ SI, SI
	JZ   done        // DX is in goexit
	MOVQ DX, (DI)(AX*8)
	INCQ AX
	CMPQ SI, CX
	JLS  done
	MOVQ SI, CX
	JMP  next
done:
	RET

// func goroutineAddress() uintptr
TEXT ·goroutineAddress(SB), NOSPLIT, $0-8
	LEAQ goroutineRaw<>(SB), AX
	MOVQ AX, ret+0(FP)
	RET

// func callerPCAddress() uintptr
TEXT ·callerPCAddress(SB), NOSPLIT, $0-8
	LEAQ callerPCRaw<>(SB), AX
	MOVQ AX, ret+0(FP)
	RET

// func peekAddress() uintptr
TEXT ·peekAddress(SB), NOSPLIT, $0-8
	LEAQ peekRaw<>(SB), AX
	MOVQ AX, ret+0(FP)
	RET

// func rootAddress() uintptr
TEXT ·rootAddress(SB), NOSPLIT, $0-8
	LEAQ rootRaw<>(SB), AX
	MOVQ AX, ret+0(FP)
	RET

// func callersAddress() uintptr
TEXT ·callersAddress(SB), NOSPLIT, $0-8
	LEAQ callersRaw<>(SB), AX
	MOVQ AX, ret+0(FP)
	RET
