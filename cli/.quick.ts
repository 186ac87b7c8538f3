import { join } from 'node:path'
const root = process.cwd()
const imp = (f: string) => import(join(root, 'cli', f))
const { openHome, claimHome } = await imp('home.ts')
const { openDatabase, resetDatabase } = await imp('postgres.ts')
const { freePorts, migrationEnv, roleEnv } = await imp('roles.ts')
const { migrate } = await imp('services.ts')
const { loader } = await imp('paths.ts')
const { spawn } = await import('node:child_process')
const home = await openHome(join(root, '.berth/quick'))
const release = claimHome(home.path)
const database = await openDatabase(home, { fast: true })
let code = 1
try {
  await resetDatabase(home, database)
  const ports = await freePorts()
  const env = {
    ...roleEnv({ home, database, ports, mode: 'test', local: {} }),
    ...Object.fromEntries(Object.entries(process.env).filter(([k]) => /^(BERTH_|BENCH|ROUNDS|DURATION|VERSITY|GO)/.test(k))),
    EDGE_ISSUER: 'internal', HOST: '127.0.0.1', APP_URL: `http://127.0.0.1:${ports.web}`,
    SESSION_DRIVER: 'database', LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn', BERTH_ROLE: 'web',
  }
  await migrate({ home, database, env, from: 'sources', always: true })
  const files = process.argv.slice(2).flatMap((f) => ['--files', join(root, f)])
  code = await new Promise<number>((done) => spawn(process.execPath, [...loader, join(root, 'bin/test.ts'), ...files], { env: migrationEnv(env, database), stdio: 'inherit' }).once('exit', (c) => done(c ?? 1)))
} finally {
  await database.stop()
  if (typeof release === 'function') await release()
}
process.exit(code)
