import type { Machine } from '#packages/machine/main'
import { Duplex } from 'node:stream'

/**
 * Connects standard input and output to a socket. Arguments: path of a Unix socket, or host and port. Runs
 * as root on the machine, so that the server does not need to listen to the network. Exit code 7:
 * connection refused.
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

/** Timeout that ends a connection nobody closed. */
const RELAY_TIMEOUT_MS = 24 * 3_600_000

/**
 * Connects to a server that listens only on its own machine. `target` is the path of a Unix socket or
 * `[host, port]`. If nothing listens there, the stream ends without data.
 */
export async function connectViaRelay(
  machine: Machine,
  target: [string] | [string, string]
): Promise<Duplex> {
  const argv = ['perl', '-e', RELAY_PROGRAM, ...target]
  const process = await machine.spawn(argv, { user: 'root', cwd: '/', timeout: RELAY_TIMEOUT_MS })
  process.stderr.resume()
  const stream = Duplex.from({ writable: process.stdin, readable: process.stdout })
  // The user of the stream has its own listener. Without this one, a lost machine would crash the process
  // after the stream is no longer used.
  stream.on('error', () => {})
  process.exit.catch((error: Error) => stream.destroy(error))
  stream.once('close', () => void process.kill('SIGKILL').catch(() => {}))
  return stream
}
