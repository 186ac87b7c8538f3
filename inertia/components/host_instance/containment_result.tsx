import { DateText } from '@ui/date_text'
import type { HostPage } from './types'

export function ContainmentResult({ result }: { result: HostPage['host']['containment'] }) {
  if (!result) return 'Not tested yet'
  const { at, broken, error } = result
  return (
    <>
      {error !== null
        ? 'The test could not run'
        : broken.length
          ? `Failed: ${broken.map(({ boundary }) => boundary).join(', ')}`
          : 'Passed'}
      {' · '}
      <DateText value={at} shape="staff" />
    </>
  )
}
