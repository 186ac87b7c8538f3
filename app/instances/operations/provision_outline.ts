import type { OperationOutline } from '#core/operations/operations'
import type { InstanceOperationInput } from '#instances/operations/step_helpers'

export const provisionSteps = [
  { key: 'place', label: 'Find a host with room' },
  { key: 'create', label: 'Create the container' },
  { key: 'limits', label: 'Set the limits of CPU, memory and disk' },
  { key: 'keys', label: 'Install the SSH keys' },
  { key: 'start', label: 'Start the instance' },
  { key: 'network', label: 'Open the SSH port' },
  { key: 'connect', label: 'Connect over SSH for the first time' },
  { key: 'finish', label: 'Finish setup' },
] as const

export const provisionInstanceOutline: OperationOutline<InstanceOperationInput> = {
  kind: 'instance.provision',
  queue: 'machine',
  steps: provisionSteps,
}
