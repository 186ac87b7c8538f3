export interface DnsRecord {
  type: 'A' | 'AAAA' | 'TXT'
  name: string
  value: string
}

export interface DomainView {
  subdomain: string
  status: 'pending' | 'active' | 'failed'
  /** Why the domain does not work, or, for an active domain, a warning. */
  status_reason: string | null
  /** The failed check. Null if the domain is active or was never checked. */
  step: 'dns' | 'certificate' | 'answer' | null
  /** Original error message of the certificate authority, of Caddy, or of the test request to the site. */
  details: string | null
  /** Addresses that DNS returned at the last check. */
  seen: string | null
  proven: boolean
  /** Null if this installation does not know its public address. */
  address_record: DnsRecord | null
  /** DNS record that proves ownership, wherever the domain points. */
  proof_record: DnsRecord
  /** ISO times. */
  certificate_until: string | null
  checked_at: string | null
  check_at: string | null
  /**
   * ISO time at which a visitor last got error 508, because a proxy in front of Berth connects by HTTP instead of
   * HTTPS. Null if there was none in the last day, or if the redirect to HTTPS is off.
   */
  proxy_loop_at: string | null
}
