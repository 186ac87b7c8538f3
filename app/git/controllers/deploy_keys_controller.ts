import { respond } from '#core/action_response'
import { RepositoryAddress } from '#git/repository_address'
import { findDeployKey, ensureDeployKey } from '#git/deploy_keys'
import { notAnSshAddress } from '#git/errors'
import { getInstanceFolder } from '#git/instance_folder'
import type DeployKey from '#git/models/deploy_key'
import { auditGitAction } from '#git/audit_git_action'
import type { SshRemote } from '#git/ssh_remote'
import { deployKeyValidator, newDeployKeyValidator } from '#git/validators/git'
import type { HttpContext } from '@adonisjs/core/http'

/** Responses contain only the public key. Berth sends the private key only to instances. */
export default class DeployKeysController {
  async show(ctx: HttpContext) {
    const { repository, ...asked } = await deployKeyValidator.validate(ctx.request.qs())
    const { instance } = await getInstanceFolder(ctx.actor, asked)
    const key = await findDeployKey(instance, remoteOf(repository))
    respond(ctx, { message: '', data: { deploy_key: key && publicHalf(key) } })
  }

  /**
   * Returns the deploy key, and creates it if it is missing. With `replace`, creates a new one in
   * any case.
   */
  async store(ctx: HttpContext) {
    const { repository, replace, ...asked } = await ctx.request.validateUsing(newDeployKeyValidator)
    const folder = await getInstanceFolder(ctx.actor, asked)
    const remote = remoteOf(repository)
    const { key, isNew } = await ensureDeployKey(folder.instance, remote, replace === true)
    if (isNew) await auditGitAction(ctx, 'git.deploy-key', folder, { repository: remote.name })
    respond(ctx, {
      status: isNew ? 201 : 200,
      message: isNew ? 'Deploy key created.' : '',
      data: { deploy_key: publicHalf(key) },
    })
  }
}

function remoteOf(repository: string): SshRemote {
  const { ssh } = RepositoryAddress.ofLink(repository)
  if (!ssh) throw notAnSshAddress()
  return ssh
}

function publicHalf({ remote, publicKey, updatedAt }: DeployKey) {
  return { remote, public_key: publicKey, made_at: updatedAt.toISO() }
}
