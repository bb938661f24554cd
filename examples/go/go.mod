module example.org/median

go 1.21
