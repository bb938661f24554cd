import type { Api } from "../../src/github/api.ts";

/** An API in which every request, including GraphQL and lists, goes through one function; lists have one page. */
export const apiBy = (request: Api["request"]): Api => ({
  request,
  async graphql(query, variables) {
    const { data } = await request("POST /graphql", { query, variables });
    return (data as { readonly data?: unknown }).data;
  },
  paginate: {
    async *iterator(route, parameters) {
      yield await request(route, parameters);
    },
  },
});
