package walls

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_X86_64

// ofArch are calls that only this architecture has.
var ofArch = []rule{{nr: unix.SYS_EPOLL_WAIT}}
