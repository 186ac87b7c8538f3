export const engines = {
  mysql: { label: 'MySQL', items: 'tables' },
  mongodb: { label: 'MongoDB', items: 'collections' },
} as const

export type Engine = keyof typeof engines
