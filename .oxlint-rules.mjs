/**
 * Rules of this project. Each consists of selectors (https://eslint.org/docs/latest/extend/selectors). ESLint can
 * load this file too.
 */
const rules = {
  'no-literal-spread': {
    'ObjectExpression > SpreadElement > ObjectExpression.argument':
      'Write the properties into the outer object literal instead of spreading another literal.',
    'ArrayExpression > SpreadElement > :matches(ArrayExpression, TSAsExpression[expression.type="ArrayExpression"]).argument':
      'Write the elements into the outer array literal instead of spreading another literal.',
    'JSXSpreadAttribute > ObjectExpression.argument':
      'Write the properties as attributes instead of spreading a literal.',
  },
  'no-private-keyword': {
    ':matches(PropertyDefinition, AccessorProperty, TSParameterProperty, MethodDefinition[kind!="constructor"])[accessibility="private"]':
      'Use a #private name instead of the keyword private.',
  },
  'imports-by-alias': {
    'ImportDeclaration[source.value=/^[.][.]?[^.](?!([.][.].)*(cli|bin).).*[.]js$/]':
      'Files of app are imported as #module/name.',
  },
  'live-rows': {
    'CallExpression[callee.property.name=/^(and|or)?whereNot(In)?$/i][arguments.0.value="status"]:has(Literal[value="deleted"]):not(MethodDefinition[key.name="live"] *)':
      'What is not deleted is asked for by live() of its model.',
  },
  'abort-listener': {
    'CallExpression[callee.property.name="addEventListener"][arguments.0.value="abort"]':
      'addAbortListener of node:events also hears what was asked for before.',
  },
  'typed-actor': {
    'TSNonNullExpression > Identifier[name=/^actor(IfSignedIn)?$/], TSNonNullExpression > MemberExpression[property.name=/^actor(IfSignedIn)?$/]':
      'Routes with signedIn have ctx.actor. Other routes check ctx.actorIfSignedIn.',
  },
  'secrets-in-body': {
    'CallExpression[callee.property.name="all"][callee.object.name="request"], CallExpression[callee.property.name="all"][callee.object.property.name="request"]':
      'Read request.body() or request.qs(): all() prefers the query string, which proxies log.',
    'CallExpression[callee.property.name="input"][arguments.0.value=/password|otp|secret|token|confirm/], CallExpression[callee.name="assertNameConfirmed"] CallExpression[callee.property.name="input"]':
      'Read secrets and typed confirmations from request.body(): input() prefers the query string, which proxies log.',
  },
  'web-root': {
    'Literal[value=/public_html/], TemplateElement[value.raw=/public_html/]':
      'The web root is webRoot of #guest/public.',
  },
  'page-prop-types': {
    'ImportDeclaration[source.value=/^#(?!core.).*.(public|engine)$/] ImportSpecifier[imported.name!=/(View|Row|Status|Match)$/]':
      'Page props import no model: from the public.ts of another module only types …View, …Row, …Status and …Match.',
  },
  visits: {
    'CallExpression[callee.object.name=router][callee.property.name=/^(visit|post|put|patch|delete|push)$/]':
      'Visits go through visit and post of ~/visit, steps in the address through ~/client_navigation.',
  },
  'list-markup': {
    'JSXOpeningElement[name.name="table"], ImportDeclaration[source.value="@mantine/core"] ImportSpecifier[imported.name="Table"]':
      'Rows are shown by List or Table of ~/components/list (docs/decisions/0024).',
  },
  'form-method': {
    'JSXOpeningElement[name.name="form"]:not(:has(JSXAttribute[name.name="method"][value.value="post"]))':
      'Give the form method="post": otherwise the browser puts the fields into the URL.',
  },
}

const createRule = (selectors) => ({
  create: (context) =>
    Object.fromEntries(
      Object.entries(selectors).map(([selector, message]) => [
        selector,
        (node) => context.report({ node, message }),
      ])
    ),
})

export default {
  meta: { name: 'berth' },
  rules: Object.fromEntries(
    Object.entries(rules).map(([name, selectors]) => [name, createRule(selectors)])
  ),
}
