import { type RoleProcess, startRoleProcess } from '../../service/tests/role_process.js'
import { MailControlClient } from '../control/client.js'

export interface MailProcess extends RoleProcess {
  smtpPort: number
  control: MailControlClient
}

const INHERITED = [
  'MAIL_PORT',
  'MAIL_SMTP_PORT',
  'MAIL_KEY',
  'MAIL_CONTROL_KEY',
  'MAIL_DATABASE_URL',
]

export async function startMailProcess(
  folder: string,
  more: NodeJS.ProcessEnv = {}
): Promise<MailProcess> {
  const showLog = Boolean(process.env.BERTH_MAIL_LOG)
  const env = { MAIL_FOLDER: folder, ...more }
  const started = await startRoleProcess('mail', INHERITED, env, showLog)
  return {
    ...started,
    smtpPort: Number(process.env.MAIL_SMTP_PORT),
    control: new MailControlClient({ url: started.url, key: process.env.MAIL_CONTROL_KEY! }),
  }
}
