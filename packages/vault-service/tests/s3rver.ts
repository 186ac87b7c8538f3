import { createRequire } from 'node:module'

interface Rver {
  run(): Promise<{ port: number }>
  close(): Promise<void>
}

const S3rver = createRequire(import.meta.url)('s3rver') as new (options: object) => Rver

/** An S3 server from another project. */
export interface ForeignStore {
  port: number
  stop(): Promise<void>
}

export const s3rverKey = { id: 'S3RVER', secret: 'S3RVER' }

/** Starts s3rver with a bucket `bodies`, which it stores in this folder. */
export async function startS3rver(folder: string): Promise<ForeignStore> {
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: folder,
    configureBuckets: [{ name: 'bodies', configs: [] }],
  })
  const { port } = await server.run()
  return { port, stop: () => server.close() }
}

export const bucketOptionsAt = (port: number) => ({
  url: `http://127.0.0.1:${port}`,
  bucket: 'bodies',
  region: 'us-east-1',
  prefix: 'b-',
  accessKeyId: s3rverKey.id,
  secretAccessKey: s3rverKey.secret,
})
