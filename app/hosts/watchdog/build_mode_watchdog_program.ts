import { readScript } from '#packages/machine/read_script'

export const BUILD_MODE_WATCHDOG_PROGRAM = readScript(import.meta, 'build_mode_watchdog.mjs')

/** systemd unit of the program. The container starts no other service of the image (see `raw.lxc`). */
export const BUILD_MODE_WATCHDOG_UNIT = `[Unit]
Description=Lowers what Build Mode has raised
StartLimitIntervalSec=0

[Service]
# Otherwise /proc/meminfo would show the container's memory, not the host's (metrics/host_usage).
ExecStartPre=-/bin/umount /proc/meminfo
ExecStart=/usr/local/bin/node /usr/local/lib/berth-keeper.mjs
Restart=always
RestartSec=1
`
