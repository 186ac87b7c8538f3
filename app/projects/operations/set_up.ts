import { defineOperation, type OperationKind, type Step } from '#core/operations/operations'
import { follow, folderOf, installMariadb, machineSays, tellMariadb } from '#guest/public'
import { freePort, makeFolder, putFile, waitForAnswer } from '#projects/machine/folder'
import { installPhp } from '#projects/machine/software'
import { installWordpress, isInPlace } from '#projects/machine/wordpress'
import Project from '#projects/models/project'
import {
  givePreview,
  openPreview,
  progressOf,
  type ProjectWork,
  reach,
  serveSite,
} from '#projects/operations/reach'
import { serveWordpress, wordpressPlace } from '#projects/operations/wordpress'
import { startProcess } from '#projects/pm2/actions'
import { packageManagers, startArgv } from '#projects/pm2/build'
import { appMemory } from '#projects/pm2/memory'
import { processesOn } from '#projects/pm2/processes'
import { pm2Variables } from '#projects/pm2/run'
import { untilItServes } from '#projects/pm2/watch'
import { type Software, type Stack, stacks } from '#projects/stacks'
import { FIRST_APP_PORT, starterFiles } from '#projects/starters'

type SetUpStep = Step<ProjectWork>

const folder: SetUpStep = {
  key: 'folder',
  label: 'Create the folder',
  async run(input, { memory, remember }) {
    const { project, machine } = await reach(input)
    const isEmpty = await makeFolder(machine, project.path)
    // A step that is run again must not take its own first files for the customer's.
    if (memory.fresh === undefined) await remember('fresh', isEmpty || input.fresh === true)
  },
}

const NO_ADMIN_MESSAGE = 'Edit the project and save it with a user name, an email and a password.'

const software: Record<Software, SetUpStep> = {
  php: {
    key: 'php',
    label: 'Install PHP',
    async run(input, context) {
      const { machine } = await reach(input)
      await installPhp(machine, progressOf(context))
    },
  },
  database: {
    key: 'database',
    label: 'Install the database server',
    async run(input, context) {
      if (!context.memory.fresh) return
      const { project, machine } = await reach(input)
      await installMariadb(machine, progressOf(context))
      await tellMariadb(project.serverInstanceId)
    },
  },
  wordpress: {
    key: 'wordpress',
    label: 'Install WordPress',
    async run(input, context) {
      if (!context.memory.fresh) {
        await Project.query().where('id', input.projectId).update({ wordpressAdmin: null })
        return context.tell(
          'The folder has files already. They were left as they are: no WordPress was installed, and no administrator was added. A password that you were given is not used.'
        )
      }
      const { project, machine } = await reach(input)
      const place = wordpressPlace(project)
      // An earlier run may have come to its end, and forgotten the password as it should.
      if (!project.wordpressAdmin && (await isInPlace(machine, place.folder))) return
      if (!project.wordpressAdmin)
        throw machineSays('Choose its first administrator', NO_ADMIN_MESSAGE)
      const { privateIp, ip } = project.instance
      const site = {
        title: project.name,
        url: `http://${privateIp ?? ip ?? 'localhost'}/${project.path}`,
        admin: project.wordpressAdmin,
      }
      await installWordpress(machine, place, site, progressOf(context))
      await project.merge({ wordpressAdmin: null }).save()
      await tellMariadb(project.serverInstanceId)
    },
  },
}

const starter: SetUpStep = {
  key: 'starter',
  label: 'Add a starter page',
  async run(input, { memory, tell }) {
    if (!memory.fresh) return tell('The folder has files already; they were left as they are.')
    const { project, machine } = await reach(input)
    const files = Object.entries(starterFiles(project.stack, project.name))
    for (const [name, text] of files) await putFile(machine, project.path, name, text)
  },
}

const build: SetUpStep = {
  key: 'build',
  label: 'Install and build',
  async run(input, context) {
    if (!context.memory.fresh) return
    const { project, machine } = await reach(input)
    for (const argv of [packageManagers.npm.install, packageManagers.npm.build]) {
      await follow(machine, `${argv.join(' ')} failed`, [...argv], {
        cwd: folderOf(project.path),
        env: {
          ...project.environment,
          NEXT_TELEMETRY_DISABLED: '1',
          CI: 'true',
          ...pm2Variables,
        },
        timeout: 1_800_000,
        ...progressOf(context),
      })
    }
  },
}

const start: SetUpStep = {
  key: 'start',
  label: 'Start the app',
  async run(input, context) {
    if (!context.memory.fresh) return
    const { project, machine } = await reach(input)
    const running = await processesOn(machine)
    const mine = running.some(({ name }) => name === project.name)
    if (!context.memory.port || !mine) {
      await context.remember('port', await freePort(machine, FIRST_APP_PORT))
    }
    const port = String(context.memory.port)
    const since = await startProcess(machine, {
      name: project.name,
      cwd: folderOf(project.path),
      argv: startArgv,
      env: { PORT: port, NODE_ENV: 'production' },
      given: project.environment,
      memory: appMemory(project.instance),
    })
    await untilItServes(machine, { name: project.name, since, port: Number(port) }, context)
  },
}

const site: SetUpStep = {
  key: 'site',
  label: 'Serve it',
  async run(input, { memory, tell }) {
    const { project, machine } = await reach(input)
    await givePreview(project, machine)
    await serveSite(project, machine, null)
    await noteError(project.id, null)
    const address = await openPreview(project)
    await serveWordpress(project, machine)
    if (project.virtualHost || stacks[project.stack].process) return
    if (!address) return tell('Set up its virtual host, so that visitors can reach it.')
    if (!memory.fresh) return tell(`The site is reachable at ${address}.`)
    const status = await waitForAnswer(machine, `http://127.0.0.1:${project.previewPort}/`)
    await tell(`${address} answers with status ${status}.`)
  },
}

function stepsOf(stack: Stack): SetUpStep[] {
  const { needs, builds, process } = stacks[stack]
  return [
    folder,
    ...needs.map((name) => software[name]),
    ...(Object.keys(starterFiles(stack, '')).length ? [starter] : []),
    ...(builds ? [build] : []),
    ...(process ? [start] : []),
    site,
  ]
}

/** Makes a project what its row says: folder, software, a page that answers. One kind per stack. */
export const setUpProject = Object.fromEntries(
  (Object.keys(stacks) as Stack[]).map((stack) => [
    stack,
    defineOperation<ProjectWork>({
      kind: `project.set_up.${stack}`,
      lane: 'guest',
      steps: stepsOf(stack),
      result: async (_input, { memory }) => (memory.port ? { port: memory.port } : {}),
      failed: ({ projectId }, reason) => noteError(projectId, reason),
    }),
  ])
) as Record<Stack, OperationKind<ProjectWork>>

/** Keeps what went wrong with the project, where its page shows it. */
export async function noteError(projectId: number, reason: string | null): Promise<void> {
  await Project.query().where('id', projectId).update({ siteError: reason })
}
