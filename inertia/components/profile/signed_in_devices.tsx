import { useState } from 'react'
import { Button } from '@mantine/core'
import { DangerDialog } from '@ui/confirm_dialog'
import { DateText } from '@ui/date_text'
import { StatusBadge } from '@ui/status_badge'
import { postVisit } from '~/visit'
import { ProfileSection } from './profile_section'
import styles from './profile_section.module.css'
import type { ProfilePath, DeviceRow } from './types'

export function SignedInDevices({ base, devices }: { base: ProfilePath; devices: DeviceRow[] }) {
  const [asking, ask] = useState(false)
  return (
    <ProfileSection
      wide
      title="Signed-in devices"
      hint="Browsers that are signed in to your account."
    >
      <ul className={styles.devices}>
        {devices.map(({ id, name, ip, since, seenAt, current }) => (
          <li key={id}>
            <div>
              {name}
              <small>
                {ip} · Signed in <DateText value={since} /> · Last active{' '}
                <DateText value={seenAt} shape="moment" />
              </small>
            </div>
            {current ? (
              <StatusBadge status="active" label="This browser" />
            ) : (
              <Button
                variant="default"
                size="xs"
                onClick={() => postVisit(`${base}/devices/end`, { id })}
              >
                Sign out
              </Button>
            )}
          </li>
        ))}
      </ul>
      <Button variant="default" color="red" onClick={() => ask(true)}>
        Sign out everywhere
      </Button>
      <DangerDialog
        opened={asking}
        onClose={() => ask(false)}
        confirm="Sign out everywhere"
        question="This signs out all browsers, including this one. You can sign in again at once."
        onConfirm={() => postVisit(`${base}/devices/end-all`)}
      />
    </ProfileSection>
  )
}
