/** Where sites lie on every instance (decisions, "Machines"). Tests put a folder of their own there. */
export const webRoot = { path: '/var/www/public_html' }
