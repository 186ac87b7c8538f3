import { Head, usePage } from '@inertiajs/react'
import { Button } from '@mantine/core'
import IconActivity from '@tabler/icons-react/dist/esm/icons/IconActivity.mjs'
import IconPlugConnected from '@tabler/icons-react/dist/esm/icons/IconPlugConnected.mjs'
import IconServerCog from '@tabler/icons-react/dist/esm/icons/IconServerCog.mjs'
import { Link } from '~/components/link'
import type { WithSharedProps } from '~/types'
import styles from './landing.module.css'

const features = [
  {
    icon: IconServerCog,
    title: 'Automated server setup',
    text: 'Choose a package and a name. A Debian instance with its own limits, keys and address is ready in seconds, and you see every step as it happens.',
  },
  {
    icon: IconActivity,
    title: 'Real-time monitoring',
    text: 'See live CPU, memory, disk and network use of each instance. Need more for a build? Build Mode boosts CPU and memory for 15 minutes.',
  },
  {
    icon: IconPlugConnected,
    title: 'Seamless integration',
    text: 'Terminal, files, git, databases, sites, storage and email in one console, from any browser.',
  },
]

export default function Landing() {
  const { version } = usePage<WithSharedProps>().props
  return (
    <div className={styles.page}>
      <Head title="Server management system" />
      <section className={styles.hero}>
        <div className={styles.words}>
          <h1>A berth for everything you run</h1>
          <p>
            Berth is a server management system. Start an instance, host your sites, and manage
            files, databases, storage, email and bills in one calm console.
          </p>
          <div className={styles.buttons}>
            <Button component={Link} href="/login?action=get-started" size="md">
              Get Started
            </Button>
            <Button component={Link} href="/login" size="md" variant="default">
              Sign In
            </Button>
          </div>
        </div>
        <figure className={styles.screen}>
          {(['light', 'dark'] as const).map((scheme) => (
            // With lazy loading, the browser does not load the image for the other colour scheme, which is hidden.
            <img
              key={scheme}
              src={`/images/console-${scheme}.png`}
              alt="The Berth console: the dashboard of a customer with the load of each instance and the address of each site"
              className={styles[scheme]}
              width={1280}
              height={800}
              loading="lazy"
              decoding="async"
            />
          ))}
        </figure>
      </section>
      <ul className={styles.features}>
        {features.map(({ icon: Icon, title, text }) => (
          <li key={title}>
            <Icon size={22} stroke={1.75} aria-hidden />
            <h2>{title}</h2>
            <p>{text}</p>
          </li>
        ))}
      </ul>
      <footer className={styles.footer}>Berth {version}, open-source software</footer>
    </div>
  )
}
