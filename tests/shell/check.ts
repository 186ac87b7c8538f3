/**
 * Checks the shell scripts with ShellCheck and shfmt. Installs both if they are missing, or prints which packages to
 * install. Arguments: files (default: all scripts), and `--write` to format them instead.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { canInstallAptPackages, installAptPackages } from '../../cli/apt_packages.js'
import { installRoot } from '../../cli/paths.js'
import { runProgram } from '../../cli/run_program.js'

/** Returns the scripts of the project: tracked and new ones, without deleted ones. */
function findScripts(): string[] {
  const argv = [
    'ls-files',
    '-z',
    '--cached',
    '--others',
    '--exclude-standard',
    '--',
    '*.sh',
    '*.bash',
  ]
  return execFileSync('git', argv, { cwd: installRoot, encoding: 'utf8' })
    .split('\0')
    .filter((path) => path && existsSync(`${installRoot}/${path}`))
}

async function installTools(): Promise<string> {
  const missing = ['shellcheck', 'shfmt'].filter((name) => !existsSync(`/usr/bin/${name}`))
  if (missing.length === 0) return ''
  if (!canInstallAptPackages()) return `Install these packages: ${missing.join(', ')}\n`
  return installAptPackages(missing).then(
    () => '',
    (error: Error) => `${error.message}\n`
  )
}

const given = process.argv.slice(2)
const isWriting = given.includes('--write')
const names = given.filter((argument) => argument !== '--write')
const scripts = names.length ? names : findScripts()
let problems = await installTools()
if (!problems && scripts.length) {
  const tools = isWriting
    ? [['shfmt', '-w']]
    : [
        ['shellcheck', '--color=never', '--format=gcc'],
        ['shfmt', '-d'],
      ]
  const results = await Promise.all(tools.map((tool) => runProgram([...tool, ...scripts])))
  problems = results.map(({ code, output }) => (code === 0 ? '' : output)).join('')
}
process.stderr.write(problems)
process.exitCode = problems ? 1 : 0
