/**
 * Starts to measure the CPU time of this process, including worker threads. The returned function returns the
 * milliseconds used since then. Tests of parsers measure CPU time, because elapsed time grows while other programs
 * keep the processors busy.
 */
export function startCpuTimer(): () => number {
  const start = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1_000
  }
}
