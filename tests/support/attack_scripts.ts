import { gunzipSync } from 'node:zlib'

/** What a careless or hostile tenant does as root; each goes on until the machine is stopped. */
export const ATTACK_SCRIPTS = {
  'fork bomb': 'fork while 1',
  // The kernel ends what leaks; the next one leaks again.
  'memory leak':
    'while (1) { my $child = fork; if ($child) { waitpid $child, 0; next } my @held; push @held, "x" x 4e6 while 1 }',
  'full disk':
    'open my $file, ">", "/root/filled"; while (1) { syswrite $file, "x" x 4e6 or select undef, undef, undef, 0.05 }',
} as const

export type Attack = keyof typeof ATTACK_SCRIPTS

/** Starts one and leaves it running: arguments for a program that ends at once. */
export function attackCommand(attack: Attack): string[] {
  const launch = 'setsid perl -e "$0" >/dev/null 2>&1 </dev/null &'
  return ['sh', '-c', launch, ATTACK_SCRIPTS[attack]]
}

/**
 * A program of 32-bit x86 that creates a subvolume in its working folder by int 0x80, `ioctl(".",
 * BTRFS_IOC_SUBVOL_CREATE, …)`; it exits with the error number (`as --32`, `ld -m elf_i386 -N -s`).
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
