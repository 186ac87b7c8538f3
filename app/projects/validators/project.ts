import { formatRule, recordIdSchema, wholeNumberSchema } from '#core/field_rules'
import { withMessages } from '#core/validation_messages'
import { parseRelativeWebFolder } from '#guest/public'
import { parseCommand } from '#projects/pm2/command'
import { packageManagers } from '#projects/pm2/package_managers'
import { processActions } from '#projects/pm2/process_actions'
import { type ProjectStack, stacks } from '#projects/stacks'
import { type ProjectStatus, projectStatuses } from '#projects/statuses'
import { wordpressFields, wordpressMessages } from '#projects/validators/wordpress'
import vine from '@vinejs/vine'
import type { Infer } from '@vinejs/vine/types'

// PM2 does not treat ids, `all` and words that begin with a hyphen as process names.
const PROJECT_NAME_PATTERN = /^(?!all$)[a-z][a-z0-9 ._-]{0,58}[a-z0-9]$/i
const SCRIPT_PATTERN = /^(?!.*(^|\/)\.)[A-Za-z0-9_][A-Za-z0-9_./-]{0,200}$/
/**
 * Matches the leading dot of folders into which build tools write server programs. Other folders with a leading dot may
 * contain secrets or repositories.
 */
const BUILD_FOLDERS_PATTERN =
  /(?<=^|\/)\.(?=(?:output|next|nuxt|nitro|svelte-kit|vercel|netlify|vinxi|open-next|amplify-hosting|medusa|mastra|adonisjs|build|dist)\/)/g
const PATH_MESSAGE = 'Enter a folder below the web root, for example shop or sites/shop.'

const messages = {
  'name.invalid': 'Enter 2 to 60 letters, digits, spaces, dots, hyphens or underscores.',
  'path.invalid': PATH_MESSAGE,
  'projectPath.invalid': PATH_MESSAGE,
  'stack.invalid': 'Choose the app stack.',
  'server_instance_id.invalid': 'Choose the server instance.',
  'type.invalid': 'Choose build, nonBuild or command.',
  'packageManager.invalid': 'Choose npm, pnpm or yarn.',
  'port.invalid': 'Enter a local port from 1024 to 65535.',
  'command.invalid':
    'Enter one program and its arguments. Pipes, &&, redirections, wildcards and variables other than $PORT need a script.',
  'script.invalid': 'Enter the main script, for example server.js or .output/server/index.mjs.',
}

const nameSchema = () => vine.string().trim().regex(PROJECT_NAME_PATTERN)
const folderSchema = () => vine.string().use(formatRule(parseRelativeWebFolder))

const projectFields = () => ({
  name: nameSchema(),
  path: folderSchema(),
  stack: vine.enum(Object.keys(stacks) as ProjectStack[]),
  server_instance_id: recordIdSchema(),
})

export const projectValidator = withMessages(vine.create(projectFields()), messages)
export type ProjectForm = Infer<typeof projectValidator>

export const newProjectValidator = withMessages(
  vine
    .withMetaData<{ email: string }>()
    .create(
      vine
        .object(projectFields())
        .merge(
          vine.group([
            vine.group.if(({ stack }) => stack === 'wordpress', wordpressFields()),
            vine.group.else({}),
          ])
        )
    ),
  { ...messages, ...wordpressMessages }
)

export const projectStatusValidator = withMessages(
  vine.create({ status: vine.enum(Object.keys(projectStatuses) as ProjectStatus[]) }),
  { 'status.invalid': 'Choose a status.' }
)

export const processValidator = withMessages(
  vine.create(
    vine
      .object({
        name: nameSchema(),
        projectPath: folderSchema(),
        type: vine.enum(['build', 'nonBuild', 'command'] as const),
      })
      .merge(
        vine
          .group([
            vine.group.if(({ type }) => type === 'build', {
              packageManager: vine.enum(packageManagers),
              port: wholeNumberSchema().range([1024, 65_535]),
            }),
            vine.group.if(({ type }) => type === 'nonBuild', {
              script: vine.string().use(formatRule(parseScript)),
            }),
            vine.group.if(({ type }) => type === 'command', {
              command: vine.string().use(formatRule((text) => parseCommand(text) && text)),
              port: wholeNumberSchema().range([1024, 65_535]),
            }),
          ])
          // No check is needed here, because the enum of types has already rejected other values.
          .otherwise(() => {})
      )
  ),
  messages
)

export const processActionValidator = withMessages(
  vine.create({
    action: vine.enum(processActions),
    name: vine.string().minLength(1).maxLength(200),
  }),
  {
    'action.invalid': 'Choose start, stop, restart or delete.',
    'name.invalid': 'Enter the name of the process.',
  }
)

function parseScript(text: string): string | null {
  const script = text.trim().replace(/^\.\//, '')
  return SCRIPT_PATTERN.test(script.replace(BUILD_FOLDERS_PATTERN, '')) ? script : null
}
