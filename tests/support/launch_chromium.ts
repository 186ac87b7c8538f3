import { mkdtemp, writeFile } from 'node:fs/promises'
import { existsSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'

/** Numbers by processor architecture: the audit architecture (AUDIT_ARCH_…) and the system call `socket`. */
const socketCalls: Partial<Record<NodeJS.Architecture, { arch: number; socket: number }>> = {
  x64: { arch: 0xc000003e, socket: 41 },
  arm64: { arch: 0xc00000b7, socket: 198 },
}
const AF_NETLINK = 16
const EAFNOSUPPORT = 97

const CHROMIUM_PATH = '/usr/bin/chromium'
/** Path of a Chromium that has neither windows nor a PDF viewer. It needs about a third less CPU time. */
const HEADLESS_SHELL_PATH = '/usr/bin/chromium-headless-shell'

/** Long, because other parts of the tests keep the processors busy. */
const LAUNCH_TIMEOUT_MS = 180_000

export interface ChromiumOptions {
  args?: string[]
  showsPdfs?: boolean
}

const wrappers = new Map<string, Promise<string>>()

/**
 * Starts Chromium so that the kernel does not notify it about network interfaces. Otherwise it aborts requests
 * (ERR_NETWORK_CHANGED) when another test starts an instance.
 */
export async function launchChromium(options: ChromiumOptions = {}): Promise<Browser> {
  const { args = [], showsPdfs = false } = options
  const browser = process.env.BERTH_CHROMIUM ?? CHROMIUM_PATH
  const isShellEnough = !showsPdfs && browser === CHROMIUM_PATH && existsSync(HEADLESS_SHELL_PATH)
  const path = isShellEnough ? HEADLESS_SHELL_PATH : browser
  const wrapper = wrappers.get(path) ?? writeWrapper(path)
  wrappers.set(path, wrapper)
  return chromium.launch({
    executablePath: await wrapper,
    args: ['--no-sandbox', ...args],
    timeout: LAUNCH_TIMEOUT_MS,
  })
}

/**
 * Writes a program that starts Chromium with a filter against netlink sockets. Returns the program's path, or `browser`
 * if bubblewrap is missing or the processor architecture is unknown.
 */
async function writeWrapper(browser: string): Promise<string> {
  const calls = socketCalls[process.arch]
  if (!calls || !existsSync('/usr/bin/bwrap')) {
    process.stdout.write(
      '    Without bubblewrap, tests in Chromium may fail with ERR_NETWORK_CHANGED.\n'
    )
    return browser
  }
  const folder = await mkdtemp(join(tmpdir(), 'berth-chromium-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const filter = join(folder, 'filter.bpf')
  await writeFile(filter, netlinkFilter(calls))
  const script = join(folder, 'chromium')
  const text = `#!/bin/sh\nexec bwrap --dev-bind / / --die-with-parent --seccomp 9 '${browser}' "$@" 9<'${filter}'\n`
  await writeFile(script, text, { mode: 0o755 })
  return script
}

/** Returns a seccomp filter that rejects `socket(AF_NETLINK, …)` and allows everything else (seccomp(2)). */
function netlinkFilter({ arch, socket }: { arch: number; socket: number }): Buffer {
  const LOAD = 0x20
  const JUMP_IF_EQUAL = 0x15
  const RETURN = 0x06
  const allow = 0x7fff0000
  const refuse = 0x00050000 | EAFNOSUPPORT
  // Offsets in `struct seccomp_data`: nr 0, arch 4, args[0] 16.
  return Buffer.concat([
    instruction(LOAD, 0, 0, 4),
    instruction(JUMP_IF_EQUAL, 0, 5, arch),
    instruction(LOAD, 0, 0, 0),
    instruction(JUMP_IF_EQUAL, 0, 3, socket),
    instruction(LOAD, 0, 0, 16),
    instruction(JUMP_IF_EQUAL, 0, 1, AF_NETLINK),
    instruction(RETURN, 0, 0, refuse),
    instruction(RETURN, 0, 0, allow),
  ])
}

/** Returns an instruction of the filter, a `struct sock_filter`. */
function instruction(code: number, ifTrue: number, ifFalse: number, value: number): Buffer {
  const encoded = Buffer.alloc(8)
  encoded.writeUInt16LE(code, 0)
  encoded[2] = ifTrue
  encoded[3] = ifFalse
  encoded.writeUInt32LE(value >>> 0, 4)
  return encoded
}
