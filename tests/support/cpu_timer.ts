/**
 * Starts to measure the CPU time of this process, worker threads included. Call the result for the milliseconds
 * since then. Tests of parsers use it instead of elapsed time, which grows while other programs keep the
 * processors busy.
 */
export function startCpuTimer(): () => number {
  const start = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1_000
  }
}
