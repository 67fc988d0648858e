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
