const e=(e,t)=>n(e,{scratch:t,most:r,name:`task.md`}),t=(e,t)=>n(e,{scratch:t,most:i,name:`whole-task.md`});function n(e,{scratch:t,most:n,name:r}){let i=e.filter(e=>e!==``).join(`

`);return Buffer.byteLength(i)<=n?i:`Your task is too long for a message. It is in the file ${t.write(r,i)}: read all of it first, in parts, then do what it says.`}const r=1048576,i=122880;export{e as n,t};