import { gunzipSync } from 'node:zlib'

/** Perl programs that use up a resource of the instance. Each runs as root until the instance is stopped. */
export const ATTACK_SCRIPTS = {
  'fork bomb': 'fork while 1',
  // When the kernel kills the process that leaks memory, the loop starts another one.
  'memory leak':
    'while (1) { my $child = fork; if ($child) { waitpid $child, 0; next } my @held; push @held, "x" x 4e6 while 1 }',
  'full disk':
    'open my $file, ">", "/root/filled"; while (1) { syswrite $file, "x" x 4e6 or select undef, undef, undef, 0.05 }',
} as const

export type Attack = keyof typeof ATTACK_SCRIPTS

/** Returns a command that starts an attack in the background and exits at once. */
export function attackCommand(attack: Attack): string[] {
  const launch = 'setsid perl -e "$0" >/dev/null 2>&1 </dev/null &'
  return ['sh', '-c', launch, ATTACK_SCRIPTS[attack]]
}

/**
 * A 32-bit x86 program. It creates a subvolume in its working directory by int 0x80,
 * `ioctl(".", BTRFS_IOC_SUBVOL_CREATE, …)`, and exits with the error number. Built with `as --32`,
 * `ld -m elf_i386 -N -s`.
 */
export const CREATE_SUBVOLUME_I386_PROGRAM = gunzipSync(
  Buffer.from(
    [
      'H4sICIcuCWsCA3MzMgCrd/VxY2RkZIABJgZmBhAvpIGFwwRILxCAiJswKADFNYCyTBB5qBoQtgaqAWF2oBhIbgcr',
      'kNjdAJQxPHm2ofPwDjMgfyffFIaAXU1AwbMN328ABUEqzzbowW3ONLYwYxgFo2AUjIJRMApGwSgYBaNgFIyCUTAK',
      'RsEIAHrFGcUlRSWJSQx6JakVJUTr42aAjD2AxiDA4xIMkDEJGGBEopmR9PUD1QgyYKoDAGY/dBEYEQAA',
    ].join(''),
    'base64'
  )
)
