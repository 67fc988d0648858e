package weave

import (
	"fmt"
	"slices"
	"strings"
)

// call is a system call that is recorded if it goes through package syscall: its numbers, -1 where there is none, what it does, to what, and
// whether its first argument is a descriptor. counts is what its result says.
type call struct {
	amd64, arm64 int
	op, kind     string
	fd           bool
	counts       counts
}

// counts is what the result of a system call is.
type counts int

const (
	noCount      counts = iota
	byteCount           // how many bytes were moved
	messageCount        // how many messages, each of which has the number of its bytes in the second argument
)

// calls are the system calls that are recorded, by their names.
var calls = map[string]call{
	"READ": {0, 63, "recRead", "recFileIO", true, byteCount}, "PREAD64": {17, 67, "recRead", "recFileIO", true, byteCount},
	"READV": {19, 65, "recRead", "recFileIO", true, byteCount}, "PREADV": {295, 69, "recRead", "recFileIO", true, byteCount},
	"WRITE": {1, 64, "recWrite", "recFileIO", true, byteCount}, "PWRITE64": {18, 68, "recWrite", "recFileIO", true, byteCount},
	"WRITEV": {20, 66, "recWrite", "recFileIO", true, byteCount}, "PWRITEV": {296, 70, "recWrite", "recFileIO", true, byteCount},
	"SENDFILE": {40, 71, "recWrite", "recSocketIO", true, byteCount}, "SPLICE": {275, 76, "recRead", "recSocketIO", true, byteCount},
	"TEE": {276, 77, "recRead", "recFileIO", true, byteCount}, "VMSPLICE": {278, 75, "recWrite", "recFileIO", true, byteCount},
	"COPY_FILE_RANGE": {326, 285, "recRead", "recFileIO", true, byteCount},
	"SENDTO":          {44, 206, "recSendTo", "recSocketIO", true, byteCount}, "RECVFROM": {45, 207, "recReceiveFrom", "recSocketIO", true, byteCount},
	"SENDMSG": {46, 211, "recSendTo", "recSocketIO", true, byteCount}, "RECVMSG": {47, 212, "recReceiveFrom", "recSocketIO", true, byteCount},
	"SENDMMSG": {307, 269, "recSendTo", "recSocketIO", true, messageCount}, "RECVMMSG": {299, 243, "recReceiveFrom", "recSocketIO", true, messageCount},
	"CONNECT": {42, 203, "recConnect", "recSocketIO", true, noCount}, "ACCEPT": {43, 202, "recAccept", "recSocketIO", true, noCount},
	"ACCEPT4": {288, 242, "recAccept", "recSocketIO", true, noCount}, "SHUTDOWN": {48, 210, "recShutdown", "recSocketIO", true, noCount},
	"OPEN": {2, -1, "recOpenFile", "recFileIO", false, noCount}, "OPENAT": {257, 56, "recOpenFile", "recFileIO", false, noCount},
	"CLOSE": {3, 57, "recCloseFile", "recFileIO", true, noCount}, "LSEEK": {8, 62, "recSeek", "recFileIO", true, noCount},
	"FLOCK": {73, 32, "recLockFile", "recFileIO", true, noCount}, "FSYNC": {74, 82, "recSync", "recFileIO", true, noCount},
	"FDATASYNC": {75, 83, "recSync", "recFileIO", true, noCount}, "SYNC_FILE_RANGE": {277, 84, "recSync", "recFileIO", true, noCount},
	"SYNC": {162, 81, "recSync", "recFileIO", false, noCount}, "FTRUNCATE": {77, 46, "recChangeSize", "recFileIO", true, noCount},
	"TRUNCATE": {76, 45, "recChangeSize", "recFileIO", false, noCount}, "FALLOCATE": {285, 47, "recChangeSize", "recFileIO", true, noCount},
	"RENAME": {82, -1, "recRename", "recFileIO", false, noCount}, "RENAMEAT": {264, 38, "recRename", "recFileIO", false, noCount},
	"RENAMEAT2": {316, 276, "recRename", "recFileIO", false, noCount}, "MKDIR": {83, -1, "recMakeDir", "recFileIO", false, noCount},
	"MKDIRAT": {258, 34, "recMakeDir", "recFileIO", false, noCount}, "RMDIR": {84, -1, "recDelete", "recFileIO", false, noCount},
	"UNLINK": {87, -1, "recDelete", "recFileIO", false, noCount}, "UNLINKAT": {263, 35, "recDelete", "recFileIO", false, noCount},
	"GETDENTS64": {217, 61, "recReadDir", "recFileIO", true, noCount}, "STAT": {4, -1, "recStatFile", "recFileIO", false, noCount},
	"LSTAT": {6, -1, "recStatFile", "recFileIO", false, noCount}, "FSTAT": {5, 80, "recStatFile", "recFileIO", true, noCount},
	"NEWFSTATAT": {262, -1, "recStatFile", "recFileIO", false, noCount}, "FSTATAT": {-1, 79, "recStatFile", "recFileIO", false, noCount},
	"STATX": {332, 291, "recStatFile", "recFileIO", false, noCount}, "LINK": {86, -1, "recLink", "recFileIO", false, noCount},
	"LINKAT": {265, 37, "recLink", "recFileIO", false, noCount}, "SYMLINK": {88, -1, "recLink", "recFileIO", false, noCount},
	"SYMLINKAT": {266, 36, "recLink", "recFileIO", false, noCount},
}

// otherCalls are the system calls of the standard library that are not recorded, by the reason.
var otherCalls = map[string]string{
	"they read or change what the file system says of a file, for which the tables have no operation": `ACCESS CHDIR CHMOD CHOWN CHROOT FACCESSAT FACCESSAT2 FCHDIR
		FCHMOD FCHMODAT FCHMODAT2 FCHOWN FCHOWNAT FSTATFS FUTIMESAT GETCWD GETXATTR INOTIFY_ADD_WATCH INOTIFY_INIT INOTIFY_INIT1 INOTIFY_RM_WATCH LCHOWN LISTXATTR
		MKNOD MKNODAT MOUNT PIVOT_ROOT READLINK READLINKAT REMOVEXATTR SETXATTR STATFS UMOUNT2 USTAT UTIME UTIMENSAT UTIMES`,
	"they make or change a descriptor, and move no data": `BIND DUP DUP2 DUP3 EPOLL_CREATE EPOLL_CREATE1 EPOLL_CTL EVENTFD2 FCNTL GETPEERNAME GETSOCKNAME GETSOCKOPT
		IOCTL LISTEN PIPE PIPE2 SETSOCKOPT SOCKET SOCKETPAIR pidfdOpenTrap`,
	"they have the number of one that is recorded": "SYNC_FILE_RANGE2",
	"they wait for any of several descriptors":     `EPOLL_PWAIT EPOLL_WAIT PAUSE PPOLL PSELECT6 SELECT`,
	"they are about processes, users, time, memory and the machine": `ACCT ADJTIMEX CAPGET CAPSET CLONE CLONE3 EXECVE EXIT EXIT_GROUP GETEGID GETEUID GETGID GETGROUPS
		GETPGID GETPGRP GETPID GETPPID GETPRIORITY GETRLIMIT GETRUSAGE GETSID GETTID GETTIMEOFDAY GETUID IOPERM IOPL KILL MADVISE MLOCK MLOCKALL MMAP MPROTECT MUNLOCK
		MUNLOCKALL MUNMAP NANOSLEEP PRCTL PRLIMIT64 PTRACE REBOOT SETDOMAINNAME SETFSGID SETFSUID SETGID SETGROUPS SETHOSTNAME SETPGID SETPRIORITY SETREGID SETRESGID
		SETRESUID SETREUID SETRLIMIT SETSID SETTIMEOFDAY SETUID SYSINFO SYSLOG TGKILL TIME TIMES UMASK UNAME UNSHARE WAIT4 WAITID getrandomTrap pidfdSendSignalTrap`,
}

// callNumbers is the source of recSysOp for an architecture.
func callNumbers(arch string) []byte {
	var names []string
	for name := range calls {
		names = append(names, name)
	}
	slices.Sort(names)
	var b strings.Builder
	b.WriteString("package runtime\n\n// recSysOp is the operation that a system call is, on what, whether its first argument is a descriptor, and what its result counts: 1\n" +
		"// bytes, 2 messages. Other system calls are not recorded.\nfunc recSysOp(trap uintptr) (op, kind uint32, fd bool, counts uint8) {\n\tswitch trap {\n")
	for _, name := range names {
		c := calls[name]
		number := c.amd64
		if arch == "arm64" {
			number = c.arm64
		}
		if number >= 0 {
			fmt.Fprintf(&b, "\tcase %d: // %s\n\t\treturn %s, %s, %t, %d\n", number, strings.ToLower(name), c.op, c.kind, c.fd, c.counts)
		}
	}
	b.WriteString("\t}\n\treturn 0, 0, false, 0\n}\n")
	return []byte(b.String())
}
