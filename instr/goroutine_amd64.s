#include "textflag.h"

// func goroutine(offset uintptr) (gp, goid uint64)
TEXT ·goroutine(SB), NOSPLIT, $0-24
	MOVQ offset+0(FP), CX
	MOVQ (TLS), AX
	MOVQ AX, gp+8(FP)
	XORL BX, BX
	TESTQ CX, CX
	JZ   done
	MOVQ (AX)(CX*1), BX
done:
	MOVQ BX, goid+16(FP)
	RET

// callerPCRaw obeys the register convention of Go functions and is only called through a
// func value with its address, so that no wrapper stands between it and its caller: BP is
// the caller's frame, and the word above it the return address into the caller's caller.
TEXT callerPCRaw<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ 8(BP), AX
	RET

// func callerPCAddress() uintptr
TEXT ·callerPCAddress(SB), NOSPLIT, $0-8
	LEAQ callerPCRaw<>(SB), AX
	MOVQ AX, ret+0(FP)
	RET
