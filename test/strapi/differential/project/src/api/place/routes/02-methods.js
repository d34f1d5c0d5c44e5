const open = { auth: false };
const at = (method, path, handler = 'place.show', config = open) => ({ method, path: `/methods${path}`, handler, config });

module.exports = {
  routes: [
    at('GET', '/read/:id'),
    ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => at(method, '/each', 'place.write')),
    at('ALL', '/all'),
    at('GET', '/both/:id'),
    at('POST', '/both/:name', 'place.write'),
    at('POST', '/only', 'place.write'),
    at('GET', '/twice'),
    at('GET', '/twice', 'place.returns'),
    at('DELETE', '/gone/:id', 'place.status'),
  ],
};
