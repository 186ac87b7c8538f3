import { DateText } from '@ui/date_text'
import type { HostPage } from './types'

/** The result of the host's last self-test of containment, with its time. */
export function ContainmentResult({ result }: { result: HostPage['host']['containment'] }) {
  if (!result) return 'Not tested yet'
  const { at, broken, error } = result
  return (
    <>
      {error !== null
        ? 'Could not be tested'
        : broken.length
          ? `Broken: ${broken.map(({ boundary }) => boundary).join(', ')}`
          : 'Holds'}
      {' · '}
      <DateText value={at} shape="staff" />
    </>
  )
}
