import { ServerInstance } from '#instances/public'

/** Instances that were sold with backups, and are somewhere. */
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
