import { isFinished } from '~/components/operation/operation_store'
import type { ProjectView } from './types'

export interface NextStep {
  title: string
  hint: string
  tab: 'virtual-host' | 'processes'
  action: string
}

/** Returns the next step that the page suggests. Returns null if the site needs none or cannot be changed now. */
export function nextStep(project: ProjectView): NextStep | null {
  const { status, barred, operation, domain, virtual_host: host, addresses } = project
  if (barred || status !== 'active' || (operation && !isFinished(operation))) return null
  if (project.has_processes && project.app_port === null && !host && !addresses.length) {
    return {
      title: 'Start a process',
      hint: 'Visitors see your app once one of its processes runs.',
      tab: 'processes',
      action: 'Open processes',
    }
  }
  if (!host) {
    const [preview] = addresses
    return {
      title: 'Set up the virtual host',
      hint: preview
        ? `Visitors reach the project at ${preview.url} until you give it a domain or a port.`
        : 'The project has no address yet. Give it a domain or a port.',
      tab: 'virtual-host',
      action: 'Set up the virtual host',
    }
  }
  if (domain && domain.status !== 'active' && (domain.step === null || domain.step === 'dns')) {
    return {
      title: 'Point your domain to this project',
      hint: `${domain.subdomain} does not point to this project yet. Add its DNS record at your DNS provider.`,
      tab: 'virtual-host',
      action: 'Show the DNS record',
    }
  }
  return null
}
