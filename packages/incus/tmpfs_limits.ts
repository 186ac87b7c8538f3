import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const TMPFS_PROGRAM_PATH = '/usr/local/sbin/berth-tmpfs'

/**
 * Files in an instance that limit its memory file systems (tmpfs), whose default size depends on the host's memory.
 * Files in a tmpfs count towards the instance's memory. If this memory is full, the kernel kills processes, even init.
 * The base image contains these files. Berth writes them into instances of older images before their next start, so
 * none of them may be a symbolic link.
 */
export const TMPFS_LIMIT_FILES: Record<string, string> = {
  '/etc/systemd/system/memory-files.service': `[Unit]
Description=Size memory file systems by the memory of this machine
DefaultDependencies=no
After=local-fs.target
Before=sysinit.target systemd-tmpfiles-setup.service

[Service]
Type=oneshot
ExecStart=${TMPFS_PROGRAM_PATH}
`,
  '/etc/systemd/system/sysinit.target.d/berth.conf': `[Unit]
Wants=memory-files.service
`,
  '/etc/systemd/system/tmp.mount.d/berth.conf': `[Unit]
# Never holds: /tmp stays on the disk.
ConditionPathExists=!/
`,
  '/etc/systemd/logind.conf.d/berth.conf': `[Login]
RuntimeDirectorySize=16M
`,
  [TMPFS_PROGRAM_PATH]: readFileSync(join(import.meta.dirname, 'limit_tmpfs.sh'), 'utf8'),
}
