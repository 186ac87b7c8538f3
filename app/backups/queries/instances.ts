import { ServerInstance } from '#instances/public'

export function listInstancesToBackUp(): Promise<ServerInstance[]> {
  return ServerInstance.query()
    .whereIn('status', ['active', 'stopped', 'suspended'])
    .whereNotNull('systemId')
    .whereHas('packageVersion', (version) =>
      version.whereRaw(`specifications #>> '{backups,value}' = 'daily'`)
    )
    .preload('host')
    .orderBy('id')
}
