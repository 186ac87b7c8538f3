export function windowTitle(title: string) {
  return title ? `${title} · Berth` : 'Berth'
}
