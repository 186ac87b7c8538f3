export type { GitInfo } from '#git/repository'
export type { Conflict, OpenMerge, Side, Sides } from '#git/open_merge'

/** The folder that git works on, as every call names it. */
export interface GitPlace {
  /** Relative to the web root. */
  path: string
  serverInstanceId: number
  projectId?: number
}

/** The same, as calls send it. */
export function placeData({ path, serverInstanceId, projectId }: GitPlace) {
  return {
    path,
    server_instance_id: serverInstanceId,
    ...(projectId !== undefined && { project_id: projectId }),
  }
}

/** The public half of what signs in to a repository. */
export interface DeployKey {
  public_key: string
}
