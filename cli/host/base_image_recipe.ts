import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  APACHE_MODULES,
  APACHE_DEFAULT_SITE_CONFIG,
  serverConfig,
} from '../../packages/apache/main.ts'
import { TMPFS_LIMIT_FILES, TMPFS_PROGRAM_PATH } from '../../packages/incus/tmpfs_limits.ts'

export const BASE_IMAGE = 'berth-base'
export const RECIPE_PROPERTY = 'berth.recipe'
export const DEBIAN_SUITE = 'trixie'

export const DEBIAN_PACKAGES = [
  'systemd',
  'systemd-sysv',
  'systemd-resolved',
  'udev',
  'dbus',
  'openssh-server',
  'openssh-sftp-server',
  'sudo',
  'ca-certificates',
  'curl',
  'iproute2',
  'git',
  'apache2',
  'unzip',
  'zip',
  'acl',
  'less',
  'vim-tiny',
  'procps',
  'nano',
]

/** npm packages `node-linux-*` contain the official Node builds with headers. */
export const NODE_VERSION = '24.21.0'
export const NPM_PACKAGES = ['npm@11.21.2', 'pm2@6.0.14']

export const OVERLAY_FILES: Record<string, string> = {
  ...TMPFS_LIMIT_FILES,
  '/etc/systemd/network/10-eth0.network': `[Match]
Name=eth0

[Network]
DHCP=ipv4
LinkLocalAddressing=no
IPv6AcceptRA=no

[DHCPv4]
ClientIdentifier=mac
UseDomains=no
`,
  '/etc/ssh/sshd_config.d/10-berth.conf': `PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
UseDNS no
`,
  // Each instance generates its own SSH host keys. All customers could read keys that are in the image.
  '/etc/systemd/system/ssh-host-keys.service': `[Unit]
Description=Make the SSH host keys of this machine
Before=ssh.service
ConditionPathExists=!/etc/ssh/ssh_host_ed25519_key

[Service]
Type=oneshot
ExecStart=/usr/bin/ssh-keygen -A

[Install]
WantedBy=multi-user.target
RequiredBy=ssh.service
`,
  // The bridge also connects instances of other customers, so an instance must not announce its services there.
  '/etc/systemd/resolved.conf.d/berth.conf': `[Resolve]
LLMNR=no
MulticastDNS=no
`,
  // Starts the processes that `pm2 save` recorded. If the instance never used PM2, does not start PM2 at all, to save
  // its memory.
  '/etc/systemd/system/pm2-berth.service': `[Unit]
Description=Processes that PM2 keeps for berth
After=network.target
ConditionPathExists=/home/berth/.pm2/dump.pm2

[Service]
Type=forking
User=berth
LimitNOFILE=65536
Environment=PM2_HOME=/home/berth/.pm2
Environment=PATH=/usr/local/bin:/usr/bin:/bin
PIDFile=/home/berth/.pm2/pm2.pid
Restart=on-failure
ExecStart=/usr/local/bin/pm2 resurrect
ExecReload=/usr/local/bin/pm2 reload all
ExecStop=/usr/local/bin/pm2 kill

[Install]
WantedBy=multi-user.target
`,
  '/etc/systemd/journald.conf.d/berth.conf': `[Journal]
SystemMaxUse=32M
RuntimeMaxUse=16M
`,
  '/etc/apache2/sites-available/000-default.conf': APACHE_DEFAULT_SITE_CONFIG,
  '/etc/apache2/conf-available/berth.conf': serverConfig(null),
  // Lets the user `berth` change files that root creates in the web root.
  '/etc/tmpfiles.d/berth.conf': 'a+ /var/www/public_html - - - - default:user:berth:rwX\n',
  // Lets Git work in the web root if another user owns the repository.
  '/etc/gitconfig': `[safe]
	directory = /var/www/public_html
	directory = /var/www/public_html/*
`,
  '/etc/sudoers.d/berth': 'berth ALL=(ALL) NOPASSWD:ALL\n',
  '/etc/locale.conf': 'LANG=C.UTF-8\n',
  // Sets the folder of Node's headers for node-gyp. The variable `npm_config_nodedir` would make npm print a warning.
  '/etc/profile.d/berth.sh':
    'export npm_package_config_node_gyp_nodedir=/usr/local/lib/node_modules/node\nexport PM2_DISCRETE_MODE=true\n',
}

/** Script that mmdebstrap runs, with the variables of `CUSTOMIZE_ENV` and BERTH_STAGE (base_image.ts). */
export const CUSTOMIZE_SCRIPT_PATH = join(import.meta.dirname, 'customize_base_image.sh')
export const CUSTOMIZE_ENV = {
  BERTH_TMPFS_PROGRAM: TMPFS_PROGRAM_PATH,
  BERTH_APACHE_MODULES: APACHE_MODULES.join(' '),
}

export const HOSTNAME_TEMPLATE = '{{ container.name }}\n'
export const HOSTS_TEMPLATE = `127.0.0.1	localhost
127.0.1.1	{{ container.name }}
::1	localhost ip6-localhost ip6-loopback
`

export function metadataYaml(architecture: string, created: Date, recipe: string): string {
  const template = (path: string, file: string) =>
    `  ${path}:\n    when: [create, copy, rename]\n    template: ${file}\n`
  return (
    `architecture: ${architecture}\n` +
    `creation_date: ${Math.floor(created.getTime() / 1000)}\n` +
    'properties:\n' +
    `  description: Berth base (Debian ${DEBIAN_SUITE})\n` +
    '  os: Debian\n' +
    `  release: ${DEBIAN_SUITE}\n` +
    `  ${RECIPE_PROPERTY}: "${recipe}"\n` +
    'templates:\n' +
    template('/etc/hostname', 'hostname.tpl') +
    template('/etc/hosts', 'hosts.tpl')
  )
}

export function recipeHash(architecture: string): string {
  const recipe = [
    architecture,
    DEBIAN_SUITE,
    DEBIAN_PACKAGES,
    NODE_VERSION,
    NPM_PACKAGES,
    OVERLAY_FILES,
    readFileSync(CUSTOMIZE_SCRIPT_PATH, 'utf8'),
    CUSTOMIZE_ENV,
    HOSTNAME_TEMPLATE,
    HOSTS_TEMPLATE,
  ]
  return createHash('sha256').update(JSON.stringify(recipe)).digest('hex').slice(0, 16)
}
