#include "textflag.h"

// rdtscRaw is func() uint64 by the register convention of Go functions: the result is in AX.
TEXT rdtscRaw<>(SB), NOSPLIT|NOFRAME, $0-0
	RDTSC
	SHLQ $32, DX
	ORQ  DX, AX
	RET

// func rdtscAddress() uintptr
TEXT ·rdtscAddress(SB), NOSPLIT, $0-8
	LEAQ rdtscRaw<>(SB), AX
	MOVQ AX, ret+0(FP)
	RET

// func invariantTSC() bool: CPUID 0x80000007, EDX bit 8
TEXT ·invariantTSC(SB), NOSPLIT, $0-1
	MOVL $0x80000000, AX
	XORL CX, CX
	CPUID
	CMPL AX, $0x80000007
	JB   no
	MOVL $0x80000007, AX
	XORL CX, CX
	CPUID
	SHRL $8, DX
	ANDL $1, DX
	MOVB DX, ret+0(FP)
	RET
no:
	MOVB $0, ret+0(FP)
	RET
