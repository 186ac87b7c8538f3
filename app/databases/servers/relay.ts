import type { Machine } from '#packages/machine/main'
import { Duplex } from 'node:stream'

/**
 * Arguments: path of a socket, or host and port. Joins it to standard input and output: a connection
 * from within the machine, as root's, while nothing listens outside. Exit code 7: nobody is there.
 */
const RELAY_PROGRAM = `use strict;
use warnings;
use IO::Socket::UNIX;
use IO::Socket::INET;
my $socket = @ARGV > 1
  ? IO::Socket::INET->new(PeerAddr => $ARGV[0], PeerPort => $ARGV[1], Proto => 'tcp')
  : IO::Socket::UNIX->new(Peer => $ARGV[0]);
exit 7 unless $socket;
sub copy {
  my ($from, $to) = @_;
  while (sysread($from, my $bytes, 262144)) {
    my $done = 0;
    while ($done < length $bytes) {
      my $wrote = syswrite($to, $bytes, length($bytes) - $done, $done);
      return unless $wrote;
      $done += $wrote;
    }
  }
}
my $child = fork() // exit 8;
if ($child == 0) {
  copy(*STDIN, $socket);
  shutdown($socket, 1);
  exit 0;
}
copy($socket, *STDOUT);
kill 'TERM', $child;
exit 0;`

/** Milliseconds after which a forgotten connection ends by itself. */
const RELAY_TIMEOUT_MS = 24 * 3_600_000

/**
 * A connection to something on a machine that listens there alone: a socket's path, or `[host, port]`.
 * It ends without a byte where nobody listens.
 */
export async function connectViaRelay(
  machine: Machine,
  target: [string] | [string, string]
): Promise<Duplex> {
  const argv = ['perl', '-e', RELAY_PROGRAM, ...target]
  const process = await machine.spawn(argv, { user: 'root', cwd: '/', timeout: RELAY_TIMEOUT_MS })
  process.stderr.resume()
  const stream = Duplex.from({ writable: process.stdin, readable: process.stdout })
  // Who uses it hears of it; where nobody does any more, a machine that is lost must not end the process.
  stream.on('error', () => {})
  process.exit.catch((error: Error) => stream.destroy(error))
  stream.once('close', () => void process.kill('SIGKILL').catch(() => {}))
  return stream
}
