import router from '@adonisjs/core/services/router'

router.get('/', ({ inertia }) => inertia.render('landing' as never, {} as never))
