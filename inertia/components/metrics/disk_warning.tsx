import { Alert } from '@mantine/core'
import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs'
import type { InstanceCard } from '~/components/server_instance/types'
import { formatBytes, formatPercent } from './format_units'

type Disk = InstanceCard['disk']

/** Returns "Disk 87 % full", or null if the disk is not nearly full. */
export function diskWarningText(disk: Disk): string | null {
  if (!disk?.nearly_full) return null
  return `Disk ${formatPercent((disk.used / disk.total) * 100)} full`
}

export function DiskWarning({ disk }: { disk: Disk }) {
  const text = diskWarningText(disk)
  if (!text) return null
  return (
    <Alert
      color="yellow"
      mb="md"
      icon={<IconAlertTriangle size={18} stroke={1.75} aria-hidden />}
      title={text}
    >
      {`${formatBytes(disk!.used)} of ${formatBytes(disk!.total)} are in use. Programs cannot write to a full disk. Delete files that you do not need, or choose a larger package.`}
    </Alert>
  )
}
