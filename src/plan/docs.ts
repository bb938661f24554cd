/** Where people find the docs: the repository with their workflow file has none of ours. */
export const docs = "https://github.com/until-green/until-green/blob/main/docs";
