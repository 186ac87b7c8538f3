interface Named {
  bill_id: number
  family: 'console' | 'autocourier'
}

/** Where staff see a bill. */
export function billAddress({ bill_id: id, family }: Named) {
  return family === 'console'
    ? (`/admin/billing/details/${id}` as const)
    : (`/admin/autocourier-billing/details/${id}` as const)
}
