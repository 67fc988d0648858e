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
