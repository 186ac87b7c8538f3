export async function moveDatabase(_to: string): Promise<number> { return 1 }
