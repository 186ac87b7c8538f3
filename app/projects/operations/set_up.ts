import { defineOperation, type OperationKind, type Step } from '#core/operations/operations'
import { absoluteWebPath, commandFailed, runMariadbChangedHooks } from '#guest/public'
import { installMariadb } from '#guest/public_effects'
import {
  ensureProjectFolder,
  writeNewFile,
  waitForHttpAnswer,
} from '#projects/machine/project_folder'
import { installPhp } from '#projects/machine/install_php'
import { installWordpress, isWordpressComplete } from '#projects/machine/wordpress'
import Project from '#projects/models/project'
import { buildApp, installAppPackages, variablesForAppStart } from '#projects/operations/build_app'
import {
  reserveAppPort,
  reservePreviewPort,
  openPreviewPort,
  stepCommandOptions,
  type ProjectOperationInput,
  loadProjectAndMachine,
  syncProjectSite,
} from '#projects/operations/step_helpers'
import {
  syncWordpressAddressesAndSchedule,
  wordpressLocation,
} from '#projects/operations/sync_wordpress_addresses_and_schedule'
import { startProcess } from '#projects/pm2/process_actions'
import { npmStartArgv } from '#projects/pm2/package_managers'
import { maxAppMemoryBytes } from '#projects/pm2/memory_limit'
import { loadProcesses } from '#projects/pm2/processes'
import { waitUntilServing } from '#projects/pm2/wait_until_serving'
import { type StackRequirement, type ProjectStack, stacks } from '#projects/stacks'
import { starterFiles } from '#projects/starter_files'

type SetUpStep = Step<ProjectOperationInput>

const folder: SetUpStep = {
  key: 'folder',
  label: 'Create the folder',
  async run(input, { state, saveState }) {
    const { project, machine } = await loadProjectAndMachine(input)
    const isEmpty = await ensureProjectFolder(machine, project.path)
    // Saved only once. When the step is repeated, the folder may contain Berth's own files, which must not count as
    // the customer's.
    if (state.fresh === undefined) await saveState('fresh', isEmpty || input.fresh === true)
  },
}

const NO_ADMIN_MESSAGE = 'Edit the project and save it with a user name, an email and a password.'

const software: Record<StackRequirement, SetUpStep> = {
  php: {
    key: 'php',
    label: 'Install PHP',
    async run(input, context) {
      const { machine } = await loadProjectAndMachine(input)
      await installPhp(machine, stepCommandOptions(context))
    },
  },
  database: {
    key: 'database',
    label: 'Install the database server',
    async run(input, context) {
      if (!context.state.fresh) return
      const { project, machine } = await loadProjectAndMachine(input)
      await installMariadb(machine, stepCommandOptions(context))
      await runMariadbChangedHooks(project.serverInstanceId)
    },
  },
  wordpress: {
    key: 'wordpress',
    label: 'Install WordPress',
    async run(input, context) {
      if (!context.state.fresh) {
        await Project.query().where('id', input.projectId).update({ wordpressAdmin: null })
        return context.reportProgress(
          'The folder already has files, which were not changed. WordPress was not installed, and no administrator was added. The password that you entered is not used.'
        )
      }
      const { project, machine } = await loadProjectAndMachine(input)
      const wordpressFolder = wordpressLocation(project)
      // An earlier attempt may have completed this step and deleted the password.
      if (!project.wordpressAdmin && (await isWordpressComplete(machine, wordpressFolder.folder)))
        return
      if (!project.wordpressAdmin)
        throw commandFailed('Create the first administrator of WordPress', NO_ADMIN_MESSAGE)
      const { privateIp, ip } = project.instance
      const site = {
        title: project.name,
        url: `http://${privateIp ?? ip ?? 'localhost'}/${project.path}`,
        admin: project.wordpressAdmin,
      }
      await installWordpress(machine, wordpressFolder, site, stepCommandOptions(context))
      await project.merge({ wordpressAdmin: null }).save()
      await runMariadbChangedHooks(project.serverInstanceId)
    },
  },
}

const starter: SetUpStep = {
  key: 'starter',
  label: 'Add a starter page',
  async run(input, { state, reportProgress }) {
    if (!state.fresh) return reportProgress('The folder already has files, which were not changed.')
    const { project, machine } = await loadProjectAndMachine(input)
    const files = Object.entries(starterFiles(project.stack, project.name))
    for (const [name, text] of files) await writeNewFile(machine, project.path, name, text)
  },
}

const build: SetUpStep = {
  key: 'build',
  label: 'Install and build',
  async run(input, context) {
    if (!context.state.fresh) return
    const { project, machine } = await loadProjectAndMachine(input)
    const { path, environment } = project
    const target = { machine, path, environment, packageManager: 'npm' as const }
    await installAppPackages(target, context)
    await buildApp(target, context)
  },
}

const start: SetUpStep = {
  key: 'start',
  label: 'Start the app',
  async run(input, context) {
    if (!context.state.fresh) return
    const { project, machine } = await loadProjectAndMachine(input)
    const running = await loadProcesses(machine)
    const mine = running.some(({ name }) => name === project.name)
    if (!context.state.port || !mine) await reserveAppPort(project, machine, context)
    const port = String(context.state.port)
    const since = await startProcess(machine, {
      name: project.name,
      cwd: absoluteWebPath(project.path),
      argv: npmStartArgv,
      env: variablesForAppStart(port, project.environment),
      environment: project.environment,
      memory: maxAppMemoryBytes(project.instance),
    })
    await waitUntilServing(machine, { name: project.name, since, port: Number(port) }, context)
  },
}

const site: SetUpStep = {
  key: 'site',
  label: 'Put the site online',
  async run(input, { state, reportProgress }) {
    const { project, machine } = await loadProjectAndMachine(input)
    await reservePreviewPort(project, machine)
    await syncProjectSite(project, machine, null)
    await saveProjectError(project.id, null)
    const address = await openPreviewPort(project)
    await syncWordpressAddressesAndSchedule(project, machine)
    if (project.virtualHost || stacks[project.stack].process) return
    if (!address)
      return reportProgress(
        'Set up the virtual host of the project, so that visitors can reach the site.'
      )
    if (!state.fresh) return reportProgress(`The site is reachable at ${address}.`)
    const status = await waitForHttpAnswer(machine, `http://127.0.0.1:${project.previewPort}/`)
    await reportProgress(`${address} answers with status ${status}.`)
  },
}

function stepsOf(stack: ProjectStack): SetUpStep[] {
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

/** One kind of setup operation per stack. */
export const projectSetupOperations = Object.fromEntries(
  (Object.keys(stacks) as ProjectStack[]).map((stack) => [
    stack,
    defineOperation<ProjectOperationInput>({
      kind: `project.set_up.${stack}`,
      queue: 'guest',
      steps: stepsOf(stack),
      result: async (_input, { state }) => (state.port ? { port: state.port } : {}),
      failed: ({ projectId }, reason) => saveProjectError(projectId, reason),
    }),
  ])
) as Record<ProjectStack, OperationKind<ProjectOperationInput>>

/** Saves the error text that the project's page shows. `null` removes it. */
export async function saveProjectError(projectId: number, reason: string | null): Promise<void> {
  await Project.query().where('id', projectId).update({ siteError: reason })
}
