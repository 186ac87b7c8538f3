/**
 * Types of modules with a single icon each, so that development and server rendering load only the icons that are
 * used.
 */
declare module '@tabler/icons-react/dist/esm/icons/*.mjs' {
  import type { Icon } from '@tabler/icons-react'
  const icon: Icon
  export default icon
}
