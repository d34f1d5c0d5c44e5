import { GraphQLBoolean, GraphQLFloat, GraphQLInputObjectType, GraphQLList, GraphQLNonNull } from 'graphql';

const [number, degrees] = [{ type: GraphQLFloat }, { type: new GraphQLNonNull(GraphQLFloat) }];

const placeInput = new GraphQLInputObjectType({ name: 'PointInput', fields: { lng: degrees, lat: degrees } });

const circleInput = new GraphQLInputObjectType({
  name: 'PointCircleInput',
  fields: { lng: degrees, lat: degrees, radius: degrees },
});

const nearInput = new GraphQLInputObjectType({
  name: 'PointNearInput',
  fields: { lng: degrees, lat: degrees, maxDistance: number, minDistance: number },
});

const withinInput = new GraphQLInputObjectType({
  name: 'PointWithinInput',
  fields: {
    circle: { type: circleInput },
    box: { type: new GraphQLList(degrees.type) },
    polygon: { type: new GraphQLList(new GraphQLNonNull(placeInput)) },
  },
});

/** The conditions on a point. Only schemas of types with points have them. */
export const pointFilter: GraphQLInputObjectType = new GraphQLInputObjectType({
  name: 'PointFilterInput',
  fields: () => ({
    not: { type: pointFilter },
    null: { type: GraphQLBoolean },
    notNull: { type: GraphQLBoolean },
    near: { type: nearInput },
    within: { type: withinInput },
  }),
});
