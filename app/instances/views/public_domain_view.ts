/** Types alone, for other domains and for pages, which are a program without the server's. */

/** A record that the owner of a domain sets where the domain is managed. */
export interface DnsRecord {
  type: 'A' | 'AAAA' | 'TXT'
  name: string
  value: string
}

/** A domain as pages of several domains show it (product, "Domains"). */
export interface DomainView {
  subdomain: string
  status: 'pending' | 'active' | 'failed'
  /** What is missing, or what to know although it is active, in words. */
  status_reason: string | null
  /** Where it stands; null while it is active or was never looked at. */
  step: 'dns' | 'certificate' | 'answer' | null
  /** What the certificate authority or the edge said, letter for letter. */
  details: string | null
  /** Where DNS leads now. */
  seen: string | null
  /** Whether it is proven that the domain is this account's. */
  proven: boolean
  /** Where it has to lead; null where the installation does not know its own address. */
  address_record: DnsRecord | null
  /** What proves, wherever it leads, that the domain is this account's. */
  proof_record: DnsRecord
  /** ISO times. */
  certificate_until: string | null
  checked_at: string | null
  check_at: string | null
}
