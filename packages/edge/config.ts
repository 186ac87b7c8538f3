/** A name that the edge answers for and where its requests go. */
export interface Site {
  /** Fully qualified, lower case. */
  domain: string
  /** `host:port` of the web server behind it. */
  upstream: string
}

export interface EdgeSettings {
  httpPort: number
  httpsPort: number
  /** The admin address, repeated because a configuration replaces all of the last. */
  admin: string
  /** Where certificates and keys are kept. */
  storage: string
  /** Errors about certificates go here, as JSON lines. */
  tlsLog: string
  /** `acme`: certificates that browsers trust. `internal`: signed by Caddy's own authority. */
  issuer: 'acme' | 'internal'
  /** Where the certificate authority writes to, for ACME. */
  email?: string
}

/** The whole configuration of Caddy. Names are data in JSON here, so nothing can break out of them. */
export function configOf(sites: Site[], settings: EdgeSettings): object {
  const { httpPort, httpsPort, admin, storage, tlsLog, issuer, email } = settings
  const issuers =
    issuer === 'internal' ? [{ module: 'internal' }] : [{ module: 'acme', ...(email && { email }) }]
  return {
    admin: adminOf(admin),
    storage: { module: 'file_system', root: storage },
    logging: {
      logs: {
        default: { level: 'WARN' },
        tls: {
          include: ['tls'],
          level: 'ERROR',
          writer: { output: 'file', filename: tlsLog, roll_size_mb: 5, roll_keep: 1 },
        },
      },
    },
    apps: {
      http: {
        http_port: httpPort,
        https_port: httpsPort,
        servers: {
          berth: {
            listen: [`:${httpsPort}`],
            routes: [
              ...sites.map(({ domain, upstream }) => ({
                match: [{ host: [domain] }],
                handle: [{ handler: 'reverse_proxy', upstreams: [{ dial: upstream }] }],
                terminal: true,
              })),
              {
                handle: [
                  { handler: 'static_response', status_code: 404, body: 'No site has this name.' },
                ],
              },
            ],
          },
        },
      },
      tls: {
        automation: {
          policies: [
            { issuers, ...(sites.length && { subjects: sites.map(({ domain }) => domain) }) },
          ],
        },
      },
      pki: { certificate_authorities: { local: { install_trust: false } } },
    },
  }
}

/** The admin part of a configuration; also all that a Caddy needs to be started with. */
export function adminOf(address: string): object {
  return { listen: address, ...(address.startsWith('unix/') && { origins: ['127.0.0.1'] }) }
}
