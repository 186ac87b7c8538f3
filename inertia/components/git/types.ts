export type { GitInfo } from '#git/repository'
export type {
  Conflict,
  MergeState,
  ConflictSideContent,
  ConflictSides,
} from '#git/merge_in_progress'

/** The folder that git works on, as every call names it. */
export interface GitFolder {
  /** Relative to the web root. */
  path: string
  serverInstanceId: number
  projectId?: number
}

/** The same, as calls send it. */
export function gitFolderParams({ path, serverInstanceId, projectId }: GitFolder) {
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
