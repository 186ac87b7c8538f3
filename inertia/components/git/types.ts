export type { GitInfo } from '#git/repository'
export type {
  MergeConflict,
  MergeState,
  ConflictSideContent,
  ConflictSides,
} from '#git/merge_in_progress'

export interface GitFolder {
  /** Path of the folder, relative to the web root. */
  path: string
  serverInstanceId: number
  projectId?: number
}

export function gitFolderParams({ path, serverInstanceId, projectId }: GitFolder) {
  return {
    path,
    server_instance_id: serverInstanceId,
    ...(projectId !== undefined && { project_id: projectId }),
  }
}

export interface DeployKey {
  public_key: string
}
