#include "textflag.h"

// func goroutine(offset uintptr) (gp, goid uint64)
TEXT ·goroutine(SB), NOSPLIT, $0-24
	MOVD offset+0(FP), R1
	MOVD g, R0
	MOVD R0, gp+8(FP)
	MOVD $0, R2
	CBZ  R1, done
	MOVD (R0)(R1), R2
done:
	MOVD R2, goid+16(FP)
	RET

// callerPCRaw obeys the register convention of Go functions and is only called through a
// func value with its address, so that no wrapper stands between it and its caller: R29 is
// the caller's frame, and the word above it the return address into the caller's caller.
TEXT callerPCRaw<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVD 8(R29), R0
	RET

// func callerPCAddress() uintptr
TEXT ·callerPCAddress(SB), NOSPLIT, $0-8
	MOVD $callerPCRaw<>(SB), R0
	MOVD R0, ret+0(FP)
	RET
