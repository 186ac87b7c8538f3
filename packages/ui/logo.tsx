/** Berth's logo: a bollard (a mooring post) with a rope around it. The 16 px grid keeps it sharp as a favicon. */
export function LogoMark({ size = 22, title }: { size?: number; title?: string }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      role={title ? 'img' : undefined}
      aria-label={title}
      aria-hidden={title ? undefined : true}
      focusable="false"
    >
      <rect width="16" height="16" rx="3.5" fill="var(--b-accent-fill, #0a6664)" />
      <path
        d="M4 4.1C4 3.2 4.7 2.5 5.6 2.5h4.8c.9 0 1.6.7 1.6 1.6S11.3 5.7 10.4 5.7H5.6C4.7 5.7 4 5 4 4.1Z"
        fill="#fff"
      />
      <path d="M6 5.7h4v5.8H6z" fill="#fff" />
      <path d="M5.1 7.2 10.9 8.6" stroke="#f2b84b" strokeWidth="1.5" strokeLinecap="round" />
      <path d="M3 12.5h10" stroke="#fff" strokeWidth="2" strokeLinecap="round" />
    </svg>
  )
}

export function Logo({ size = 22 }: { size?: number }) {
  return (
    <span style={{ display: 'inline-flex', alignItems: 'center', gap: Math.round(size * 0.38) }}>
      <LogoMark size={size} />
      <span
        style={{
          fontSize: size * 0.77,
          fontWeight: 700,
          letterSpacing: '-0.03em',
          color: 'var(--b-text)',
        }}
      >
        Berth
      </span>
    </span>
  )
}
